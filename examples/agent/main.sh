#!/bin/sh
# An agent that only shows what it was given; it holds a key that no tool call may see.
set -eu
echo "strategy: $(sh "${READ:-/usr/share/typeclaw-init/read}/strategy.sh")"
echo "my key has ${#AGENT_API_KEY} characters"
typeclaw-init sandbox -- sh -c 'cat /proc/[0-9]*/environ 2>/dev/null | tr "\0" "\n" |
	grep -c AGENT_API_KEY || echo "a tool call finds none"'
