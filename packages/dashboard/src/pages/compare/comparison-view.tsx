import type { BuildReference, Comparison, ResultCounts } from '@runledger/protocol'
import { formatCount } from '@runledger/presentation'
import { formatGroup } from '../../format/group'
import { BuildNote } from '../../parts/build-name'
import { ErrorName } from '../../parts/error-name'
import { ResultCountsText } from '../../parts/result-counts'
import { Card } from '../../ui/card'
import { ComparedTests } from './compared-tests'
import { PageTitle } from '../../ui/page-title'

const LISTS = [
  ['newly_failing', 'Newly failing', 'Failed here, passed in the other.'],
  ['slower', 'Slower', 'Passed in both and took at least 20 % and 100 ms longer here.'],
  ['fixed', 'Fixed', 'Failed in the other, passed here.'],
  ['still_failing', 'Failing in both', 'Not caused by this side.'],
  ['new', 'New tests', 'Not in the other.'],
  ['gone', 'Gone tests', 'Only in the other.'],
] as const

export function ComparisonView({ comparison }: { comparison: Comparison }) {
  const { base, head, counts, new_errors: errors } = comparison
  const nameOf = (build: BuildReference) => build.branch ?? formatGroup(build.group)
  const isSame = LISTS.every(([name]) => comparison[name].total === 0)
  return (
    <>
      <PageTitle text={`${nameOf(head)} against ${nameOf(base)}`} />
      <div className="grid gap-px overflow-hidden rounded-lg border border-line bg-line sm:grid-cols-2">
        <Side word="Looked at" build={head} counts={counts.head} />
        <Side word="Compared with" build={base} counts={counts.base} />
      </div>
      {isSame && <p className="text-soft">Nothing differs: every test came to the same in both.</p>}
      {errors.length > 0 && (
        <Card title={`Errors only here (${errors.length.toLocaleString('en')})`}>
          <ul className="divide-y divide-line">
            {errors.map((error) => (
              <li key={error.fingerprint} className="flex flex-wrap items-baseline gap-x-4 px-4 py-2">
                <span className="numeric shrink-0 font-semibold">
                  {formatCount(error.tests_count, 'test')}
                </span>
                <ErrorName error={error} />
              </li>
            ))}
          </ul>
        </Card>
      )}
      {LISTS.map(([name, title, rule]) => (
        <ComparedTests key={name} title={title} rule={rule} list={comparison[name]} />
      ))}
    </>
  )
}

function Side({ word, build, counts }: { word: string; build: BuildReference; counts: ResultCounts }) {
  return (
    <div className="min-w-0 bg-surface px-4 py-3">
      <p className="text-sm text-soft">{word}</p>
      <p className="font-medium wrap-anywhere">{build.branch ?? 'no branch'}</p>
      <p className="text-sm wrap-anywhere">
        build <BuildNote build={build} />
      </p>
      <p className="text-sm">
        <ResultCountsText counts={counts} />
      </p>
    </div>
  )
}
