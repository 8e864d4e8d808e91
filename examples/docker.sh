#!/bin/sh
# Starts the agent of ./agent with Docker.  Further words go to `docker run`.
#   IMAGE=typeclaw-init:0.1.0 examples/docker.sh --interactive --tty
# The planner's line is quoted for a shell, so a shell reads it: eval, and nothing by hand.
set -eu
cd "$(dirname "$0")"
IMAGE=${IMAGE:-typeclaw-init:0.1.0}
eval "set -- \"\$@\" $("${TYPECLAW_INIT:-typeclaw-init}" plan --agent-dir agent)"
exec docker run --volume "$PWD/agent:/agent" --volume "$PWD/read:/usr/share/typeclaw-init/read:ro" \
	--env AGENT_API_KEY "$@" "$IMAGE" sh /agent/main.sh
