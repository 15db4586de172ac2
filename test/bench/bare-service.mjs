// A service with runs, attachments and links, without our additions. It says under /counts what it has, and every request
// that came out of order (docs/interface.md#attachments). Prints its port.
import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'

const REQUIRED = ['procedure_id', 'unit_under_test', 'run_passed', 'duration']

const runs = new Set()
const waiting = new Set()
const received = new Set()
const linked = new Set()
const faults = []
let requests = 0

const server = createServer((request, response) => {
  const chunks = []
  request.on('data', (chunk) => chunks.push(chunk))
  request.once('end', () => {
    const { status = 200, body } = answer(request, String(Buffer.concat(chunks)))
    response
      .writeHead(status, { 'content-type': 'application/json' })
      .end(body === undefined ? '' : JSON.stringify(body))
  })
})
server.listen(0, '127.0.0.1', () => console.log(server.address().port))

function answer({ method, url, headers }, text) {
  if (url === '/counts')
    return { body: { requests, runs: runs.size, received: received.size, linked: linked.size, faults } }
  requests += 1
  const [, collection = '', id = ''] = /^(?:\/v2)?\/(runs|uploads)\/([^/?]+)$/.exec(url) ?? []
  if (method === 'POST' && url === '/v1/runs/create') return createRun(headers.host, JSON.parse(text))
  if (method === 'POST' && url === '/v2/attachments') return initialize(headers.host)
  if (method === 'PUT' && collection === 'uploads') return receive(id)
  if (method === 'PATCH' && collection === 'runs') return link(id, JSON.parse(text).attachments)
  return refuse(404, `${method} ${url} does not exist`)
}

function createRun(host, run) {
  const missing = REQUIRED.find((name) => run[name] === undefined)
  if (missing !== undefined) return refuse(400, `${missing} is missing`)
  const id = randomUUID()
  runs.add(id)
  return { body: { url: `http://${host}/runs/${id}` } }
}

function initialize(host) {
  const id = randomUUID()
  waiting.add(id)
  return { body: { id, upload_url: `http://${host}/uploads/${id}` } }
}

function receive(id) {
  if (!waiting.delete(id)) return refuse(404, 'there is no such upload')
  received.add(id)
  return {}
}

function link(runId, ids) {
  if (!runs.has(runId)) return refuse(404, 'there is no such run')
  if (!ids.every((id) => received.has(id))) return refuse(400, 'an attachment has not been received')
  for (const id of ids) linked.add(id)
  return { body: { id: runId } }
}

function refuse(status, message) {
  // Requests that probe for our additions are allowed; any other unknown request is a fault.
  if (status !== 404 || !message.endsWith('does not exist')) faults.push(message)
  return { status, body: { status_code: status, message } }
}
