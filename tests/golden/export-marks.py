# SPDX-License-Identifier: MIT
"""export-marks.py FORMAT FILE: what a timeline has beside samples, in the order of time. Lines
"mark TID FROM TO NAME TEXT" and "count FROM TO EVENT VALUE"; times are nanoseconds from the beginning."""
import gzip
import json
import sys


def ns(micro):
    return round(micro * 1000)


def chrome(data):
    events = json.loads(data)['traceEvents']
    last = {}
    for event in events:
        if event.get('cat') == 'mark':
            end = ns(event['ts'] + event.get('dur', 0))
            yield 'mark', event['tid'], ns(event['ts']), end, event['name'], event['args'].get('text', '')
        elif event['ph'] == 'C':
            value, = event['args'].values()
            if event['name'] in last and last[event['name']][1]:
                yield 'count', last[event['name']][0], ns(event['ts']), event['name'], last[event['name']][1]
            last[event['name']] = (ns(event['ts']), value)
    assert all(value == 0 for _, value in last.values()), 'a counter goes on for ever'


def firefox(data):
    profile = json.loads(data)
    texts = profile['shared']['stringArray']
    for thread in profile['threads']:
        markers = thread['markers']
        assert all(len(markers[name]) == markers['length'] for name in markers if name != 'length')
        for i in range(markers['length']):
            start, end = markers['startTime'][i], markers['endTime'][i]
            if texts[markers['name'][i]] == 'interval':
                continue
            yield ('mark', int(thread['tid']), ns(start * 1000), ns((start if end is None else end) * 1000),
                   texts[markers['name'][i]], markers['data'][i]['text'])
    for counter in profile['counters']:
        samples, at = counter['samples'], 0
        assert profile['threads'][counter['mainThreadIndex']]['pid'] == counter['pid']
        for delta, value in zip(samples['timeDeltas'], samples['count'], strict=True):
            at += delta
            if value:
                yield 'count', ns((at - delta) * 1000), ns(at * 1000), counter['name'], value


content = open(sys.argv[2], 'rb').read()
if content[:2] == b'\x1f\x8b':
    content = gzip.decompress(content)
for row in sorted(map(lambda row: tuple(map(str, row)), {'chrome': chrome, 'firefox': firefox}[sys.argv[1]](content))):
    print(*row)
