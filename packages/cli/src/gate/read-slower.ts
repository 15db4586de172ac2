import type { Build, Client, ComparedTest } from '@runledger/protocol'
import { listRuns, readVariable } from '../ask/runs'

/** The tests that take longer than in the last complete build of the default branch; text says why there is none. */
export async function readSlower(
  client: Client,
  build: Build,
): Promise<{ total: number; tests: ComparedTest[] } | string> {
  const [run] = (await listRuns(client, { group: build.group, limit: 1 })).data
  const branch = run && readVariable(run, 'git_default_branch')
  if (branch === undefined) return NO_BRANCH
  const { data } = await client.listBuilds({
    query: {
      branches: [branch],
      procedure_ids: build.procedures.map(({ id }) => id),
      states: ['passed', 'failed'],
      started_before: build.started_at,
      limit: MAX_READ,
    },
  })
  const base = data.find(({ is_infrastructure: isInfrastructure }) => !isInfrastructure)
  if (!base) return `${branch} has no complete build before this one (infrastructure builds do not count)`
  const { slower } = await client.compareBuilds({ query: { base: base.group, head: build.group } })
  return { total: slower.total, tests: slower.data }
}

/** Infrastructure builds in a row are rarely more. */
const MAX_READ = 10

const NO_BRANCH =
  'the default branch is not known: set the option defaultBranch (RUNLEDGER_DEFAULT_BRANCH) of the reporter'
