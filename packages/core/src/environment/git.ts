import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

/** The checked-out branch and commit; no branch when the head is detached, neither outside of a repository. */
export interface GitHead {
  branch?: string | undefined
  commit?: string | undefined
}

const execute = promisify(execFile)

/** A repository on a network folder that hangs is not waited for. */
const TIMEOUT_MS = 2_000

// A working copy that is mounted into a container belongs to another user there, which git refuses by default.
const ARGUMENTS = ['-c', 'safe.directory=*', 'rev-parse', 'HEAD', '--abbrev-ref', 'HEAD']

/** Never rejects. */
export async function readGitHead(cwd: string): Promise<GitHead> {
  try {
    const { stdout } = await execute('git', ARGUMENTS, { cwd, timeout: TIMEOUT_MS })
    const [commit, branch] = stdout.split('\n')
    return { commit, branch: branch === 'HEAD' ? undefined : branch }
  } catch {
    // No git, no repository, no commit yet, or no time.
    return {}
  }
}
