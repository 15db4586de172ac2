/** For `testSequencer: '@runledger/jest/sequencer'`: with `--shard`, the service's plan divides the files. */
import { takeShard, toRelativePath } from '@runledger/reporter-kit'
import { type JestShard, loadBaseSequencer, type SequencerOptions } from './base-sequencer'
import type { JestTest } from './jest-types'

/** Jest's own sequencer, but for the files of a shard. */
export default class RunledgerSequencer extends loadBaseSequencer(process.argv[1], process.cwd()) {
  readonly #rootDir: string | undefined

  constructor(options?: SequencerOptions) {
    super(options)
    this.#rootDir = options?.globalConfig.rootDir
  }

  override async shard(tests: JestTest[], shard: JestShard): Promise<JestTest[]> {
    const rootDir = this.#rootDir ?? findRootDir(tests)
    const nameOf = ({ path }: JestTest) => toRelativePath(rootDir, path)
    const { shardIndex: index, shardCount: total } = shard
    const suite = { framework: 'jest', shard: { index, total }, files: tests.map(nameOf) }
    const own = await takeShard(suite, { projectRoot: rootDir })
    return own ? tests.filter((test) => own.has(nameOf(test))) : super.shard(tests, shard)
  }
}

/** Jest 29 does not tell the root folder. With several projects it is usually the current one. */
function findRootDir(tests: readonly JestTest[]): string {
  const [first, ...others] = new Set(tests.map(({ context }) => context.config.rootDir))
  return first === undefined || others.length > 0 ? process.cwd() : first
}
