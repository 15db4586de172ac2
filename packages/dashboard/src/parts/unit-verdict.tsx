import type { UnitVerdict } from '@runledger/protocol'
import { lookOfUnitVerdict } from '@runledger/presentation'
import { Badge } from '../ui/badge'

export function VerdictBadge({
  verdict,
  size = 'small',
}: {
  verdict: UnitVerdict
  size?: 'small' | 'large'
}) {
  return <Badge {...lookOfUnitVerdict(verdict)} size={size} />
}
