#!/bin/sh
# Walks the interface as a client does that nobody here wrote: curl and the shell.
# usage: RUNLEDGER_URL=… RUNLEDGER_API_KEY=… sh walk.sh
# Prints one line for each thing that held, and ends with 1 at the first that did not.
set -eu

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
body=$folder/body
scheme=Bearer
base=$RUNLEDGER_URL
key=$RUNLEDGER_API_KEY

# call METHOD PATH [curl's options]: leaves the status, the media type and the body.
call() {
  method=$1 path=$2
  shift 2
  seen=$(curl -sS -o "$body" -w '%{http_code} %{content_type}' -X "$method" \
    -H "Authorization: $scheme $key" "$@" "$base$path")
}

fail() {
  echo "not ok $1: $seen $(cat "$body")" >&2
  exit 1
}

# answers STATUS: of the last call, whose answer is labelled exactly as JSON.
answers() {
  [ "$seen" = "$1 application/json" ] || fail "$method $path answers $1 as application/json"
  echo "ok $method $path answers $1"
}

has() {
  grep -qF -- "$1" "$body" || fail "$method $path has $1"
  echo "ok $method $path has $1"
}

lacks() {
  if grep -qF -- "$1" "$body"; then fail "$method $path lacks $1"; fi
  echo "ok $method $path lacks $1"
}

# field NAME: the first text of that name in the last answer.
field() {
  grep -o "\"$1\":\"[^\"]*\"" "$body" | head -n 1 | cut -d '"' -f 4
}

json() {
  method=$1 path=$2 text=$3
  shift 3
  call "$method" "$path" -H 'Content-Type: application/json' --data "$text" "$@"
}

# put ADDRESS [curl's options]: an upload address needs no key.
put() {
  method=PUT path=${1%%\?*}
  seen=$(curl -sS -o "$body" -w '%{http_code}' -X PUT "$@")
  [ "$seen" = 200 ] && [ ! -s "$body" ] || fail 'the PUT of bytes answers 200 with an empty body'
  echo 'ok the PUT of bytes answers 200 with an empty body'
}

create_runs() {
  json POST /v2/procedures "{\"name\":\"$name\",\"identifier\":\"$name\"}"
  answers 200
  procedure=$(field id)
  unit="{\"serial_number\":\"$name-1\",\"part_number\":\"$name-part\",\"revision\":\"A\"}"
  json POST /v1/runs/create "{\"procedure_id\":\"$name\",\"unit_under_test\":$unit,\"run_passed\":true,\"duration\":\"PT1.5S\",\"steps\":null}"
  answers 200
  strict=$(field id)
  has "/$strict\""
  json POST /v1/runs "{\"procedure_id\":\"$procedure\",\"unit_under_test\":$unit,\"run_passed\":false,\"unknown\":{}}"
  answers 200
  lenient=$(field id)
  json POST /v2/runs "{\"procedure_id\":\"$procedure\",\"serial_number\":\" $name-1 \",\"part_number\":\"$name-part\",\"outcome\":\"PASS\",\"started_at\":\"2026-11-20T09:30:00Z\",\"ended_at\":\"2026-11-20T09:30:01Z\",\"phases\":null}"
  answers 200
  second=$(field id)
}

read_runs() {
  call GET "/v2/runs?limit=50.0&metadata=&procedure_ids=$procedure"
  answers 200
  for id in "$strict" "$lenient" "$second"; do has "$id"; done
  call GET "/v2/runs?limit=2&procedure_ids=$procedure"
  answers 200
  has '"has_more":true'
  cursor=$(grep -o '"next_cursor":[0-9]*' "$body" | cut -d : -f 2)
  call GET "/v2/runs?limit=2&procedure_ids=$procedure&cursor=$cursor"
  answers 200
  has '"has_more":false,"next_cursor":null'
  call GET "/v1/runs?serial_number=$name-1"
  answers 200
  has '"result":['
  has '"data":['
  call GET "/v2/runs/$second"
  answers 200
  has '"outcome":"PASS"'
}

attach() {
  printf 'some bytes' >"$folder/file"
  : >"$folder/empty"
  json POST /v2/attachments '{"name":"linked.txt"}'
  answers 200
  linked=$(field id)
  put "$(field upload_url)" -H 'Content-Type:' --data-binary "@$folder/file"
  json POST /v2/attachments '{"name":"empty.txt"}'
  answers 200
  empty=$(field id)
  put "$(field upload_url)" -H 'Content-Type:' -H 'Transfer-Encoding: chunked' -T - <"$folder/empty"
  json PATCH "/v2/runs/$second" "{\"attachments\":[\"$linked\",\"$empty\"]}"
  answers 200
  json POST /v1/uploads/initialize '{"name":"v1.txt"}'
  answers 200
  old=$(field id)
  put "$(field uploadUrl)" -T "$folder/file"
  json POST /v1/uploads/sync "{\"upload_id\":\"$old\",\"run_id\":\"$second\"}"
  answers 200
  json POST "/v2/runs/$second/attachments" '{"name":"one-shot.txt"}'
  answers 200
  shot=$(field id)
  put "$(field upload_url)" -H 'Content-Type: text/plain' -T - <"$folder/file"
  call POST "/v2/attachments/$shot/finalize"
  answers 200
  curl -sS -o "$folder/again" "$(field url)"
  cmp "$folder/file" "$folder/again"
  call GET "/v2/runs/$second"
  for file in linked empty v1 one-shot; do has "\"name\":\"$file.txt\""; done
}

read_errors() {
  json POST /v1/runs/create "{\"procedure_id\":\"none\",\"unit_under_test\":$unit,\"run_passed\":true,\"duration\":\"PT1S\"}"
  answers 404
  for part in '"status_code":404' '"code":"NOT_FOUND"' '"message":' '"issues":[]' '"error":{"message":'; do has "$part"; done
  json POST /v2/runs '{}'
  answers 400
  has '"code":"BAD_REQUEST"'
  has '"path":["procedure_id"]'
  lacks status_code
  json POST /v2/runs '{'
  answers 400
  has '"code":"PARSE_ERROR"'
  json POST /v1/runs "{\"unit_under_test\":$unit,\"run_passed\":true}"
  answers 400
  has '"message":"procedure id is required'
  json POST /v2/batches '{"number":"two words"}'
  answers 400
  has '"message":"number must be'
  call POST /v1/runs -H 'Content-Type: text/plain' --data '{}'
  answers 415
  key=nobody
  call GET /v2/runs
  answers 401
  key=$RUNLEDGER_API_KEY
  call GET "/v2/runs/00000000-0000-4000-8000-000000000000"
  answers 404
  call GET /v2/no-such-route
  answers 404
}

walk() {
  name=$1
  create_runs
  read_runs
  attach
  read_errors
  call DELETE "/v2/runs?ids=$strict&ids=$lenient&ids=$second"
  answers 200
  has '"ids":['
  call GET "/v2/runs?procedure_ids=$procedure"
  has '"data":[]'
}

walk curl-root
base=$RUNLEDGER_URL/api
scheme=bearer
walk curl-api
echo 'walked both interfaces'
