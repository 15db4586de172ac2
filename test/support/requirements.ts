import { spawnSync } from 'node:child_process'
import type { TestOptions } from 'vitest'
import { findChromium } from './chromium.mjs'
import { findProgram } from './find-program.mjs'
import { findPostgres } from './postgres.ts'
import { canBeSecondUser } from './second-user.ts'

interface Requirement {
  isThere: () => boolean
  /** In CI the tests that need it run and fail where it is missing. */
  isInCi?: boolean
  /** Set for requirements that cannot be installed. */
  isMissingBecause?: string
}

const inCi = (isThere: () => boolean): Requirement => ({ isThere, isInCi: true })

/** Programs that some tests need. A test or a file names them as Vitest tags, and is skipped where one is missing. */
const REQUIREMENTS: Record<string, Requirement> = {
  caddy: inCi(() => findProgram('caddy') !== undefined),
  chromium: inCi(() => findChromium() !== undefined),
  curl: inCi(() => findProgram('curl') !== undefined),
  glewlwyd: inCi(() => findProgram('glewlwyd') !== undefined),
  kubectl: inCi(() => findProgram('kubectl') !== undefined),
  nginx: inCi(() => findProgram('nginx') !== undefined),
  postgresql: inCi(() => findPostgres() !== undefined),
  python3: inCi(() => findProgram('python3') !== undefined),
  'docker-compose': { isThere: () => spawnSync('docker', ['compose', 'version']).status === 0 },
  'second-user': { isThere: canBeSecondUser, isMissingBecause: 'only root can act as another user' },
  strace: { isThere: () => findProgram('strace') !== undefined },
  'systemd-analyze': { isThere: () => findProgram('systemd-analyze') !== undefined },
}

/** The tags of the tests' configuration: one for each requirement. */
export function listTags(): (TestOptions & { name: string; description: string })[] {
  return Object.entries(REQUIREMENTS).map(([name, { isThere, isInCi, isMissingBecause }]) => {
    const isSkipped = !(isInCi && process.env['CI'] !== undefined) && !isThere()
    return {
      name,
      description: `needs ${name}`,
      ...(isSkipped && { skip: true, meta: { skipReason: isMissingBecause ?? `${name} is not installed` } }),
    }
  })
}
