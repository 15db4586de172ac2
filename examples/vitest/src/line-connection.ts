import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

/** A line-by-line conversation over TCP, as most bench instruments offer it: one question, one line of answer. */
export class LineConnection {
  private received = ''

  private constructor(private readonly socket: Socket) {}

  static async open(port: number, host = '127.0.0.1'): Promise<LineConnection> {
    const socket = connect(port, host)
    socket.setEncoding('ascii')
    await once(socket, 'connect')
    return new LineConnection(socket)
  }

  /** Sends one line and waits for the line that answers it; one question at a time. */
  async ask(line: string): Promise<string> {
    this.socket.write(`${line}\n`)
    while (!this.received.includes('\n')) {
      const [chunk] = (await once(this.socket, 'data', { signal: AbortSignal.timeout(1_000) })) as [string]
      this.received += chunk
    }
    const end = this.received.indexOf('\n')
    const answer = this.received.slice(0, end).trimEnd()
    this.received = this.received.slice(end + 1)
    return answer
  }

  close(): void {
    this.socket.destroy()
  }
}
