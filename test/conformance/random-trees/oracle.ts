import type { Framework } from '../../support/project'
import type { Target } from '../target'
import type { JudgedFile } from './expectation'
import { judgeWithJest } from './oracle-jest'
import { judgeWithPlaywright } from './oracle-playwright'
import { judgeWithVitest } from './oracle-vitest'
import type { Tree } from './tree'

const JUDGES: Record<Framework, (tree: Tree, release: number) => JudgedFile> = {
  jest: judgeWithJest,
  vitest: judgeWithVitest,
  playwright: judgeWithPlaywright,
}

/**
 * What the target's framework must make of a tree: our own small statement of its semantics. It shares no code with the
 * reporters, nor with core's mapping.
 */
export function judgeTree(tree: Tree, { framework, release }: Target): JudgedFile {
  return JUDGES[framework](tree, release)
}
