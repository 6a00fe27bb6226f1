# SPDX-License-Identifier: MIT
"""export-totals.py FORMAT FILE: what each known function weighs, alone and with what it called, of the first
event: lines "self total name", sorted. Each format is read by what its specification says."""
import collections
import csv
import gzip
import json
import re
import sqlite3
import sys


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def numbers(data):
    at, found = 0, []
    while at < len(data):
        value, at = varint(data, at)
        found.append(value)
    return found


def fields(data):
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        assert key & 7 in (0, 1, 2), 'a wire type that is not used'
        if key & 7 == 1:
            value, at = int.from_bytes(data[at:at + 8], 'little'), at + 8
        else:
            value, at = varint(data, at)
        if key & 7 == 2:
            value, at = data[at:at + value], at + value
        yield key >> 3, value


def plain(name):
    """A name without its mark; None: not that of a known function."""
    name = re.sub(r'_\[[kijoe]\]$', '', name)
    return None if re.match(r'\[.*\]$', name) else name


def folded(path):
    """Per chain: frames, the outermost first, and weight."""
    for line in open(path, encoding='utf-8'):
        chain, weight = line.rstrip('\n').rsplit(' ', 1)
        yield chain.split(';')[1:], int(weight)


def pprof(path):
    data = open(path, 'rb').read()
    if data[:2] == b'\x1f\x8b':
        data = gzip.decompress(data)
    parts = collections.defaultdict(list)
    for field, value in fields(data):
        parts[field].append(value)
    texts = [text.decode('utf-8') for text in parts[6]]
    assert texts[0] == ''
    functions = {dict(fields(part))[1]: texts[dict(fields(part))[2]] for part in parts[5]}
    mappings = {dict(fields(part))[1] for part in parts[3]}
    locations = {}
    for part in parts[4]:
        own = dict(fields(part))
        assert own.get(3, 1) and (2 not in own or own[2] in mappings)
        lines = [dict(fields(line))[1] for field, line in fields(part) if field == 4]
        locations[own[1]] = [functions[line] for line in lines]
    for part in parts[2]:
        sample = dict(fields(part))
        values = numbers(sample[2])
        assert len(values) == len(parts[1])
        chain = [name for nr in numbers(sample.get(1, b'')) for name in locations[nr]]
        yield chain[::-1], values[1]


def otlp(path):
    top = collections.defaultdict(list)
    for field, value in fields(open(path, 'rb').read()):
        top[field].append(value)
    tables = collections.defaultdict(list)
    for field, value in fields(top[2][0]):
        tables[field].append(value)
    texts = [text.decode('utf-8') for text in tables[5]]
    assert texts[0] == '' and all(tables[table][0] == b'' for table in (1, 2, 3, 4, 6, 7))
    functions = [texts[dict(fields(part)).get(1, 0)] for part in tables[3]]
    locations = []
    for part in tables[2]:
        assert dict(fields(part)).get(1, 0) < len(tables[1])
        locations.append([functions[dict(fields(line))[1]] for field, line in fields(part) if field == 3])
    stacks = [[name for nr in numbers(dict(fields(part)).get(1, b'')) for name in locations[nr]] for part in tables[7]]
    attributes = [dict(fields(part)) for part in tables[6]]
    scope = dict(fields(dict(fields(top[1][0]))[2]))
    for field, part in fields(scope[2]):
        if field != 2:
            continue
        sample = dict(fields(part))
        keys = {texts[attributes[nr][1]] for nr in numbers(sample[2])}
        assert {'process.pid', 'thread.id', 'thread.name'} <= keys
        yield stacks[sample.get(1, 0)][::-1], numbers(sample[4])[0]


def decoded(lines):
    """A message that protoc has decoded: values by the names of their fields."""
    found = collections.defaultdict(list)
    for line in lines:
        line = line.strip()
        if line == '}':
            break
        name = line.split()[0].rstrip(':')
        assert not name.isdigit(), 'a field that is not published: ' + line
        found[name].append(decoded(lines) if line.endswith('{') else line.split(': ', 1)[1])
    return found


def otlp_decoded(path):
    """The same as protoc has decoded it; texts of this recording need no unescaping."""
    top = decoded(open(path, encoding='utf-8'))
    tables = top['dictionary'][0]
    texts = [text.strip('"') for text in tables['string_table']]
    number = lambda message, name: int(message[name][0]) if message[name] else 0
    functions = [texts[number(function, 'name_strindex')] for function in tables['function_table']]
    locations = [[functions[number(line, 'function_index')] for line in location['lines']]
                 for location in tables['location_table']]
    stacks = [[name for nr in stack['location_indices'] for name in locations[int(nr)]]
              for stack in tables['stack_table']]
    keys = [texts[number(attribute, 'key_strindex')] for attribute in tables['attribute_table']]
    profile = top['resource_profiles'][0]['scope_profiles'][0]['profiles'][0]
    assert texts[number(profile['sample_type'][0], 'type_strindex')]
    for sample in profile['samples']:
        assert {'process.pid', 'thread.id', 'thread.name'} <= {keys[int(nr)] for nr in sample['attribute_indices']}
        yield stacks[number(sample, 'stack_index')][::-1], int(sample['values'][0])


def speedscope(path):
    tree = json.load(open(path, encoding='utf-8'))
    frames = tree['shared']['frames']
    event = tree['profiles'][0]['name'].split()[-1] if tree['profiles'] else None
    for profile in tree['profiles']:
        assert profile['type'] == 'sampled' and profile['startValue'] == 0
        assert profile['endValue'] == sum(profile['weights'])
        if profile['name'].split()[-1] != event:
            continue
        for chain, weight in zip(profile['samples'], profile['weights'], strict=True):
            yield [frames[nr]['name'] for nr in chain], weight


def callgrind(path):
    """Totals are of calls there, which count recursion more than once: only what functions cost alone."""
    names, current, is_call = {}, None, False
    for line in open(path, encoding='utf-8'):
        line = line.rstrip('\n')
        function = re.match(r'(c?)fn=\((\d+)\)(?: (.*))?$', line)
        if function:
            if function[3] is not None:
                names[function[2]] = function[3]
            if not function[1]:
                current = names[function[2]]
        elif line.startswith('calls='):
            is_call = True
        elif re.match(r'\d+ ', line):
            if not is_call:
                yield [current], int(line.split()[1])
            is_call = False


def csv_rows(path):
    for row in csv.DictReader(open(path, encoding='utf-8', newline='')):
        yield row['stack'].split(';'), int(row['period'])


def jsonl(path):
    last = 0
    for line in open(path, encoding='utf-8'):
        sample = json.loads(line)
        assert sample['time_ns'] >= last, 'not in the order of time'
        last = sample['time_ns']
        yield sample['stack'], sample['period']


def columns(table):
    """A table of columns, as dictionaries; each has as many rows as the table says."""
    names = [name for name in table if isinstance(table[name], list)]
    for name in names:
        assert len(table[name]) == table['length'], name
    return [{name: table[name][row] for name in names} for row in range(table['length'])]


def firefox(path):
    data = open(path, 'rb').read()
    profile = json.loads(gzip.decompress(data) if data[:2] == b'\x1f\x8b' else data)
    assert profile['meta']['preprocessedProfileVersion'] == 62
    assert profile['meta']['categories'][0]['color'] == 'grey'
    shared = profile['shared']
    frames, functions = columns(shared['frameTable']), columns(shared['funcTable'])
    stacks, chains = columns(shared['stackTable']), []
    for resource in columns(shared['resourceTable']):
        assert profile['libs'][resource['lib']]['name'] == shared['stringArray'][resource['name']]
    for nr, stack in enumerate(stacks):
        assert stack['prefix'] is None or stack['prefix'] < nr
        frame = frames[stack['frame']]
        assert frame['category'] < len(profile['meta']['categories'])
        name = shared['stringArray'][functions[frame['func']]['name']]
        chains.append((chains[stack['prefix']] if stack['prefix'] is not None else []) + [name])
    for thread in profile['threads']:
        assert isinstance(thread['pid'], str) and isinstance(thread['tid'], str)
        samples = columns(thread['samples'])
        assert all(sample['timeDeltas'] >= 0 for sample in samples)
        for marker in columns(thread['markers']):
            assert marker['name'] < len(shared['stringArray']) and marker['data']['type'] == 'xperf'
            assert (marker['endTime'] is None) == (marker['phase'] == 0)
        for sample in samples:
            yield [] if sample['stack'] is None else chains[sample['stack']], sample['weight']


def sqlite(path):
    database = sqlite3.connect(path)
    assert database.execute('PRAGMA integrity_check').fetchone()[0] == 'ok'
    assert not database.execute('PRAGMA foreign_key_check').fetchall()
    chains = {nr: stack.split(';') for nr, stack in database.execute('SELECT id, stack FROM stacks_view')}
    for stack, period in database.execute('SELECT stack_id, period FROM samples'):
        yield chains[stack], period
    # Its views say the same.
    own = dict(database.execute('SELECT symbol, sum(period) FROM functions_view GROUP BY symbol'))
    total = dict(database.execute('SELECT symbol, sum(period) FROM totals_view GROUP BY symbol'))
    assert sum(own.values()) == database.execute('SELECT sum(period) FROM samples').fetchone()[0]
    assert all(total[symbol] >= own[symbol] for symbol in own)


READERS = {'folded': folded, 'pprof': pprof, 'speedscope': speedscope, 'callgrind': callgrind, 'csv': csv_rows,
           'jsonl': jsonl, 'firefox': firefox, 'sqlite': sqlite, 'otlp': otlp,
           'otlp-decoded': otlp_decoded}


def main():
    alone, total = collections.Counter(), collections.Counter()
    for chain, weight in READERS[sys.argv[1]](sys.argv[2]):
        names = [plain(name) for name in chain]
        if names:
            alone[names[-1]] += weight
        for name in set(names):
            total[name] += weight
    if sys.argv[1] == 'callgrind':
        total = {name: 0 for name in alone if alone[name]}
    for name in sorted(name for name in total if name):
        print(alone[name], total[name], name)


main()
