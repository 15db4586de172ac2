import type { Build } from '@runledger/protocol'
import { formatGroup, nameGroup } from './group'

/** What a build is called: the subject of its commit, or its branch, or its group. */
export function nameBuild({
  commit_subject: subject,
  branch,
  group,
}: Pick<Build, 'commit_subject' | 'branch' | 'group'>): string {
  if (subject) return subject
  return branch ? `${branch}, ${nameGroup(group)}` : `Build ${formatGroup(group)}`
}
