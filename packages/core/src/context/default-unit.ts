import { hostname } from 'node:os'
import type { UnitUnderTestOption } from '../options/options'
import type { PackageFacts } from './package'

const SHORT_COMMIT_LENGTH = 7

/** The software itself as the unit under test (`product.md`, From a suite to a run). */
export function deriveDefaultUnit(facts: PackageFacts, commit: string | undefined): UnitUnderTestOption {
  const which = commit ? commit.slice(0, SHORT_COMMIT_LENGTH) : hostname()
  return {
    serialNumber: `${facts.name.replace(/^@/, '').replaceAll('/', '-')}@${which}`,
    partNumber: facts.name,
    ...(facts.version === undefined ? {} : { revision: facts.version }),
  }
}
