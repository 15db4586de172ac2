/** For `sequence: { sequencer: RunledgerSequencer }`: with `--shard`, the service's plan divides the files. */
import { takeShard, toRelativePath } from '@runledger/reporter-kit'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Vitest's own sequencer, but for the files of a shard. */
export class RunledgerSequencer extends BaseSequencer {
  override async shard(specifications: TestSpecification[]): Promise<TestSpecification[]> {
    const { root, shard } = this.ctx.config
    if (!shard || specifications.length === 0) return super.shard(specifications)
    const nameOf = ({ moduleId }: TestSpecification) => toRelativePath(root, moduleId)
    const suite = {
      framework: 'vitest',
      shard: { index: shard.index, total: shard.count },
      files: specifications.map(nameOf),
      part: this.#namePart(specifications),
    }
    const own = await takeShard(suite, { projectRoot: root })
    return own ? specifications.filter((each) => own.has(nameOf(each))) : super.shard(specifications)
  }

  /** Vitest 3 divides the files of each pool and group on their own. */
  #namePart([first]: readonly TestSpecification[]): string | undefined {
    if (!this.ctx.version.startsWith('3.') || first === undefined) return undefined
    return `${first.pool} ${first.project.config.sequence.groupOrder ?? 0}`
  }
}
