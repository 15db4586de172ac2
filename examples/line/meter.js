// A meter that speaks SCPI over TCP, as most bench meters do, and a simulated one to try it with.
import { createServer, connect } from 'node:net'
import { createInterface } from 'node:readline'

/** Asks a meter, such as `MEAS:VOLT?`, and returns the number that it answers. */
export async function ask(question, { host = '127.0.0.1', port = Number(process.env.METER_PORT) } = {}) {
  const socket = connect(port, host)
  const lines = createInterface({ input: socket })
  socket.write(`${question}\n`)
  for await (const line of lines) {
    socket.destroy()
    return Number(line)
  }
  throw new Error(`the meter at ${host}:${port} did not answer ${question}`)
}

/** Starts a meter whose answers `read` decides. */
export async function startMeter(read) {
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    createInterface({ input: socket }).on('line', (question) => socket.write(`${read(question)}\n`))
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { port: server.address().port, stop: () => server.close() }
}
