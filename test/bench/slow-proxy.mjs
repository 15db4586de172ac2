import net from 'node:net'

/**
 * Stands before a service of this machine as a network does: every connection takes a round trip to open, and every byte
 * half of one in each direction.
 * @param {string} url @param {number} roundTripMs
 */
export async function startSlowProxy(url, roundTripMs) {
  const { hostname, port } = new URL(url)
  const open = new Set()
  let connections = 0
  const server = net.createServer((client) => {
    connections += 1
    const service = net.connect(Number(port), hostname)
    const opensAtMs = performance.now() + roundTripMs
    for (const [from, to] of [
      [client, service],
      [service, client],
    ]) {
      open.add(from)
      from.setNoDelay(true)
      from.on('error', () => to.destroy()).once('close', () => open.delete(from))
      passOnLater(from, to, { halfMs: roundTripMs / 2, opensAtMs })
    }
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    countConnections: () => connections,
    stop: async () => {
      for (const socket of open) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function passOnLater(from, to, { halfMs, opensAtMs }) {
  const late = []
  const passOn = () => {
    const nowMs = performance.now()
    while (late.length > 0 && late[0].dueMs <= nowMs + 0.5) late.shift().act()
    if (late.length > 0) setTimeout(passOn, late[0].dueMs - nowMs)
  }
  const add = (act) => {
    late.push({ act, dueMs: Math.max(performance.now(), opensAtMs) + halfMs })
    if (late.length === 1) passOn()
  }
  from.on('data', (chunk) => add(() => to.write(chunk)))
  from.on('end', () => add(() => to.end()))
}
