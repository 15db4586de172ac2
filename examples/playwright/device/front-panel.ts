import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import type { PowerSupply } from './power-supply'

export interface FrontPanel {
  url: string
  close(): Promise<void>
}

/** Serves the device's web page on a free port, as the firmware would. `pageFile` is the page's HTML. */
export async function serveFrontPanel(device: PowerSupply, pageFile: string): Promise<FrontPanel> {
  const page = await readFile(path.resolve(pageFile), 'utf8')
  const commands: Record<string, () => void> = {
    '/start': () => device.start(),
    '/stop': () => device.stop(),
    '/reset': () => device.reset(),
  }
  const server = createServer((request, response) => {
    if (request.url === '/') {
      response.setHeader('content-type', 'text/html; charset=utf-8').end(page)
      return
    }
    if (request.method === 'POST') commands[request.url ?? '']?.()
    response.setHeader('content-type', 'application/json').end(JSON.stringify(device.read()))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
