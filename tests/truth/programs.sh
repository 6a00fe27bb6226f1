# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Programs at work in three languages, whose call chains are compared. To be sourced.

# write_programs ROUNDS_PYTHON ROUNDS_NODE: work.cpp, work.py and work.js in the current folder
write_programs()
{
	cat >work.cpp <<'END'
#include <iostream>
#include <map>
#include <regex>
int main()
{
	std::map<std::string, std::regex> m;
	m["a"] = std::regex("a+");
	std::cout << m.size();
}
END
	cat >work.py <<END
import json, re
def nested(n):
    return [n] if n == 0 else [nested(n - 1), sorted(str(n) * 40, key=lambda c: -ord(c))]
for i in range($1):
    json.loads(json.dumps(nested(60)))
    re.sub(r"(\\d)+\\w", lambda match: match.group(1), str(list(range(300))))
END
	cat >work.js <<END
const sort = n => Array.from({ length: n }, (_, i) => i * 7919 % n).sort((a, b) => a - b);
const nested = n => n ? [nested(n - 1), ...sort(50)] : [];
for (let i = 0; i < $2; i++)
	JSON.parse(JSON.stringify(nested(60).concat(sort(1000)))).map(String).join().replace(/\\d+/g, d => d.length);
END
}
