// A service that answers at once and keeps nothing but counts: what a bench measures beside it is the reporter, not a
// service on the same two cores. Prints its port; returns its counts under /counts.
import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'

const keys = new Set()
const linked = new Map()
let received = 0

const server = createServer((request, response) => {
  const chunks = []
  request.on('data', (chunk) => chunks.push(chunk))
  request.once('end', () => {
    const body = answer(request, chunks)
    response.writeHead(200, { 'content-type': 'application/json' }).end(body && JSON.stringify(body))
  })
})
server.listen(0, '127.0.0.1', () => console.log(server.address().port))

function answer({ method, url, headers }, chunks) {
  const id = randomUUID()
  const address = `http://${headers.host}`
  if (url === '/counts') return { runs: keys.size, received, linked: linked.size }
  if (method === 'PUT') received += 1
  if (method === 'PATCH') linked.set(url, true)
  if (method !== 'POST') return undefined
  if (url === '/v2/attachments') return { id, upload_url: `${address}/uploads/${id}` }
  const body = JSON.parse(String(Buffer.concat(chunks)))
  if (url !== '/v1/runs/batch') return create(address, headers['idempotency-key'], body)
  return { runs: body.runs.map(({ idempotency_key: key, run }) => ({ created: create(address, key, run) })) }
}

function create(address, key, run) {
  const id = randomUUID()
  keys.add(key)
  return { id, url: `${address}/runs/${id}`, message: 'created', ...takeInline(id, run) }
}

/** Attachments that come with their run are received and linked by that. */
function takeInline(runId, { inline_attachments: inline }) {
  if (inline === undefined) return {}
  received += inline.length
  if (inline.length > 0) linked.set(`/v2/runs/${runId}`, true)
  return { inline_attachments: inline.map(({ name }) => ({ name, id: randomUUID() })) }
}
