import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio'
import { once } from 'node:events'
import { type AskService, createMcpServer } from './server'

/** Serves the tools on standard input and output until the input ends. */
export async function serveMcp(askService: AskService, options: { isWriting: boolean }): Promise<void> {
  const { stdin } = process
  // A pipe may close without an end, and a file may end without a close.
  const ended = Promise.race([once(stdin, 'end'), once(stdin, 'close')]).catch(() => undefined)
  const handle = serveStdio(() => createMcpServer(askService, options), {
    transport: new StdioServerTransport(),
    onerror: (error) => void process.stderr.write(`runledger mcp: ${error.message}\n`),
  })
  await ended
  await handle.close()
}
