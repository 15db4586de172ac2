import { onTestFinished } from 'vitest'
import { ClimateChamber } from '../src/climate-chamber'
import { SimulatedChamber, type Faults } from '../src/simulated-chamber'

export interface Bench {
  chamber: ClimateChamber
  simulator: SimulatedChamber
}

/** Puts a chamber on the bench and connects to it; both are put away when the test ends. */
export async function setUpBench(faults?: Faults): Promise<Bench> {
  const simulator = new SimulatedChamber(faults)
  const chamber = await ClimateChamber.connect(await simulator.start())
  onTestFinished(async () => {
    chamber.disconnect()
    await simulator.stop()
  })
  return { chamber, simulator }
}
