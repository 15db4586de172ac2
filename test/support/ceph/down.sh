#!/bin/bash
# down.sh DIR: ends what up.sh has started there.
pids=$(cat "$1"/run/*.pid 2>/dev/null)
if [ -z "$pids" ]; then exit 0; fi
kill $pids 2>/dev/null
for _ in $(seq 20); do
  if ! kill -0 $pids 2>/dev/null; then exit 0; fi
  sleep 0.5
done
kill -9 $pids 2>/dev/null
exit 0
