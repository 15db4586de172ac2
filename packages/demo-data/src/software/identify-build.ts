import type { Draw } from '../draw'
import type { BuildPlan } from './plan'

export function groupOf({ kind, project, index }: BuildPlan, draw: Draw): string {
  if (kind === 'local') return draw.uuid(project.key, 'group', index)
  return `ci-${draw.hex(24, project.key, 'group', index)}`
}

export function addressOf({ project, index }: BuildPlan): string {
  return `${project.ci.address}${48_200 + index * 7}`
}
