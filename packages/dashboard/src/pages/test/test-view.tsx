import type { TestDetail } from '@runledger/protocol'
import { Definitions } from '../../parts/definitions'
import { Card } from '../../ui/card'
import { Aliases } from './aliases'
import { Barcodes } from './barcodes'
import { Changes } from './changes'
import { DurationChart } from './duration-chart'
import { FlakyEvidence } from './flaky-evidence'
import { Quarantine } from './quarantine'
import { ResultsTable } from './results-table'
import { Segments } from './segments'
import { TestErrors } from './test-errors'
import { TestHead } from './test-head'
import { PageTitle } from '../../ui/page-title'

/** A test from when it broke down to its other names. */
export function TestView({ test, environment }: { test: TestDetail; environment: string | undefined }) {
  const title = [test.name, test.file].filter((part) => part !== null).join(', ')
  return (
    <div className="flex flex-col gap-4">
      <PageTitle text={title} />
      <TestHead test={test} environment={environment} />
      {test.results_list.length > 0 && (
        <Card title="Results and durations">
          <div className="flex flex-col gap-4 p-4">
            <Barcodes test={test} />
            <DurationChart results={test.results_list} changes={test.changes} />
            <ResultsTable results={test.results_list} />
          </div>
        </Card>
      )}
      <Segments segments={test.segments} />
      <Changes changes={test.changes} />
      <FlakyEvidence evidence={test.flaky_evidence} />
      <TestErrors errors={test.errors} />
      <Quarantine test={test} />
      <Aliases test={test} />
      <Definitions
        of={[
          'failures',
          'flakes',
          'interval',
          'state',
          'segments',
          'evidence',
          'duration',
          'change',
          'cost',
          'infrastructure',
          'quarantine',
          'quarantineFailures',
        ]}
      />
    </div>
  )
}
