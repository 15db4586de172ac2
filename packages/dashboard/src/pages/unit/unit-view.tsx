import type { LineUnit } from '@runledger/protocol'
import { formatMinute } from '../../format/date'
import { useListKeys } from '../../navigation/keys'
import { PageTitle } from '../../ui/page-title'
import { UnitHead } from './unit-head'
import { UnitRuns } from './unit-runs'
import { UnitTree } from './unit-tree'
import { UnitValues } from './unit-values'
import { UnitVerdicts } from './unit-verdicts'

export function UnitView({ history }: { history: LineUnit }) {
  useListKeys()
  return (
    <div className="flex flex-col gap-4 print:gap-3">
      <PageTitle text={history.unit.serial_number} />
      <UnitHead history={history} />
      <UnitVerdicts verdicts={history.verdicts} />
      <UnitTree history={history} />
      <UnitValues history={history} />
      <UnitRuns history={history} />
      <p className="hidden text-xs text-soft print:block">
        {window.location.href}, printed {formatMinute(new Date().toISOString())}
      </p>
    </div>
  )
}
