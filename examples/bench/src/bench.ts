import { drawPanel } from './draw-panel'

/** What is wrong with the device on the bench. */
export interface Faults {
  /** Ripple of the output under load, in millivolts. */
  rippleMillivolts?: number
}

/** A simulated bench: a scanner, a meter with a scope, an electronic load and a camera, around one device. */
export class Bench {
  #loadAmperes = 0

  constructor(private readonly faults: Faults = {}) {}

  /** Reads the label under the scanner. */
  async scan(label: 'board' | 'supply'): Promise<string> {
    await settle()
    return label === 'board' ? 'CTRL-000917' : 'PSU-004211'
  }

  async setLoad(amperes: number): Promise<void> {
    this.#loadAmperes = amperes
    await settle()
  }

  /** The voltage at a test point, in volts. */
  async readVolts(point: 'output' | '5 V' | '3.3 V'): Promise<number> {
    await settle()
    const volts = { output: 24.06 - 0.03 * this.#loadAmperes, '5 V': 5.02, '3.3 V': 3.297 }
    return round(volts[point])
  }

  /** The output's ripple, peak to peak, in millivolts. */
  async readRipple(): Promise<number> {
    await settle()
    return round((this.faults.rippleMillivolts ?? 18) * (0.2 + 0.16 * this.#loadAmperes))
  }

  /** A picture of the front panel, as PNG. */
  async takePhoto(): Promise<Uint8Array> {
    await settle()
    return drawPanel({ isLit: true })
  }
}

function settle(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 20))
}

function round(value: number): number {
  return Math.round(value * 1000) / 1000
}
