import { LineConnection } from './line-connection'

export interface Identity {
  maker: string
  model: string
  serialNumber: string
  firmware: string
}

/** The chamber understood the command and refused it. */
export class ChamberError extends Error {
  override name = 'ChamberError'
}

/** Driver of a climate chamber. Temperatures are in degrees Celsius. */
export class ClimateChamber {
  private constructor(private readonly connection: LineConnection) {}

  static async connect(port: number): Promise<ClimateChamber> {
    return new ClimateChamber(await LineConnection.open(port))
  }

  async identify(): Promise<Identity> {
    const [maker = '', model = '', serialNumber = '', firmware = ''] = (await this.ask('*IDN?')).split(',')
    return { maker, model, serialNumber, firmware }
  }

  async setTarget(celsius: number): Promise<void> {
    await this.ask(`TEMP:TARGET ${celsius.toFixed(1)}`)
  }

  async readTarget(): Promise<number> {
    return Number(await this.ask('TEMP:TARGET?'))
  }

  async readTemperature(): Promise<number> {
    return Number(await this.ask('TEMP?'))
  }

  /** Waits until the air is within `tolerance` of the target; answers every reading on the way. */
  async settle(tolerance: number, timeoutMs = 2_000): Promise<number[]> {
    const target = await this.readTarget()
    const readings: number[] = []
    const endAt = Date.now() + timeoutMs
    while (Date.now() < endAt) {
      const reading = await this.readTemperature()
      readings.push(reading)
      if (Math.abs(reading - target) <= tolerance) return readings
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
    throw new Error(`not within ${tolerance} °C of ${target} °C after ${timeoutMs} ms: ${readings.at(-1)} °C`)
  }

  disconnect(): void {
    this.connection.close()
  }

  private async ask(line: string): Promise<string> {
    const answer = await this.connection.ask(line)
    if (answer.startsWith('ERR')) throw new ChamberError(answer.slice(4))
    return answer
  }
}
