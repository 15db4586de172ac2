import { once } from 'node:events'
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { createInterface } from 'node:readline'

const RANGE = { low: -40, high: 180 }
const AMBIENT = 23
/** Share of the way to the target that the air makes between two readings. */
const RESPONSE = 0.4

export interface Faults {
  /** The sensor reads this much too high, in degrees Celsius. */
  sensorOffset?: number
}

/** A climate chamber that answers on TCP as the real one does, only that its air is quicker. */
export class SimulatedChamber {
  private readonly server: Server
  private readonly sockets = new Set<Socket>()
  private target = AMBIENT
  private air = AMBIENT

  constructor(private readonly faults: Faults = {}) {
    this.server = createServer((socket) => this.serve(socket))
  }

  /** Answers the port that it listens on. */
  async start(): Promise<number> {
    this.server.listen(0, '127.0.0.1')
    await once(this.server, 'listening')
    return (this.server.address() as AddressInfo).port
  }

  async stop(): Promise<void> {
    for (const socket of this.sockets) socket.destroy()
    this.server.close()
    await once(this.server, 'close')
  }

  /** What a calibrated thermometer beside the sensor would show. */
  readReference(): number {
    return this.air
  }

  private serve(socket: Socket): void {
    this.sockets.add(socket)
    socket.on('close', () => this.sockets.delete(socket))
    createInterface({ input: socket }).on('line', (line) => socket.write(`${this.answer(line.trim())}\n`))
  }

  private answer(line: string): string {
    if (line === '*IDN?') return 'Acme,CC-180,CC180-00417,2.4.1'
    if (line === 'TEMP:TARGET?') return this.target.toFixed(1)
    if (line === 'TEMP?') return this.measure()
    const target = /^TEMP:TARGET (-?\d+(?:\.\d+)?)$/.exec(line)?.[1]
    return target === undefined ? 'ERR unknown command' : this.changeTarget(Number(target))
  }

  private changeTarget(celsius: number): string {
    if (celsius < RANGE.low || celsius > RANGE.high) return 'ERR target out of range'
    this.target = celsius
    return 'OK'
  }

  // The controller trusts its sensor, so an offset ends up in the air.
  private measure(): string {
    const offset = this.faults.sensorOffset ?? 0
    this.air += (this.target - offset - this.air) * RESPONSE
    return (this.air + offset).toFixed(2)
  }
}
