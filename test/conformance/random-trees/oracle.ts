import type { Framework } from '../../support/project'
import type { JudgedFile } from './expectation'
import { judgeWithJest } from './oracle-jest'
import { judgeWithPlaywright } from './oracle-playwright'
import { judgeWithVitest } from './oracle-vitest'
import type { Tree } from './tree'

/**
 * What each framework must make of a tree: our own small statement of its semantics. It shares no code with the
 * reporters, nor with core's mapping.
 */
export const JUDGES: Record<Framework, (tree: Tree) => JudgedFile> = {
  jest: judgeWithJest,
  vitest: judgeWithVitest,
  playwright: judgeWithPlaywright,
}
