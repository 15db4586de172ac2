export type State = 'idle' | 'running' | 'fault'

export interface Reading {
  state: State
  volts: number
  amps: number
}

const OUTPUT_VOLTS = 12

/** A simulated bench power supply: it switches its output off when the load draws more than it may. */
export class PowerSupply {
  #state: State = 'idle'
  #loadOhms = 24

  constructor(private readonly tripAtAmps: number) {}

  start(): void {
    if (this.#state === 'idle') this.#state = 'running'
  }

  stop(): void {
    if (this.#state === 'running') this.#state = 'idle'
  }

  reset(): void {
    if (this.#state === 'fault') this.#state = 'idle'
  }

  connectLoad(ohms: number): void {
    this.#loadOhms = ohms
  }

  read(): Reading {
    const amps = OUTPUT_VOLTS / this.#loadOhms
    if (this.#state === 'running' && amps > this.tripAtAmps) this.#state = 'fault'
    return this.#state === 'running'
      ? { state: this.#state, volts: OUTPUT_VOLTS, amps }
      : { state: this.#state, volts: 0, amps: 0 }
  }
}
