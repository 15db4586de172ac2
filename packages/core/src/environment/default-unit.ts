import { hostname } from 'node:os'
import type { UnitUnderTestOption } from '../config/options'
import type { PackageFacts } from './package'

const SHORT_COMMIT_LENGTH = 7

// The revision that the contract gives a component by default. Leaving it out would be refused as soon as another run
// of the same package had a version (specification 4.1, rule 3).
const DEFAULT_REVISION = 'A'

let machine: string | undefined

/** The software itself as the unit under test (`product.md`, From a suite to a run). */
export function deriveDefaultUnit(facts: PackageFacts, commit: string | undefined): UnitUnderTestOption {
  const which = commit ? commit.slice(0, SHORT_COMMIT_LENGTH) : (machine ??= hostname())
  return {
    serialNumber: `${facts.name.replace(/^@/, '').replaceAll('/', '-')}@${which}`,
    partNumber: facts.name,
    revision: facts.version ?? DEFAULT_REVISION,
  }
}
