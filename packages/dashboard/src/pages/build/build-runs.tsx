import { isFailing } from '@runledger/presentation'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { GROUP_REFRESH_MS, groupQuery } from '../../api/run-list'
import { useNewRuns } from '../../api/use-new-runs'
import { RunRows } from '../../parts/run-rows'
import { Unread } from '../../parts/unread'
import { EMPTY_FILTER } from '../../run-filter'
import { Button } from '../../ui/button'

const SHOWN_AT_ONCE = 100

export function BuildRuns({ group }: { group: string }) {
  const read = useQuery(groupQuery(group))
  const [shown, setShown] = useState(SHOWN_AT_ONCE)
  useNewRuns({
    filter: { ...EMPTY_FILTER, group },
    refreshMs: GROUP_REFRESH_MS,
    shown: read.data?.runs,
    onNew: () => read.refetch(),
  })
  if (!read.data) {
    return (
      <Unread
        read={read}
        label="Reading the runs"
        title="The runs could not be read"
        rows={8}
        rowClass="h-16"
      />
    )
  }
  const { runs, isCut } = read.data
  const failed = runs.filter(({ outcome }) => isFailing(outcome))
  const sorted = [...failed, ...runs.filter(({ outcome }) => !isFailing(outcome))]
  return (
    <>
      <RunRows runs={sorted.slice(0, shown)} group={group} />
      {sorted.length > shown && (
        <Button className="self-center" onClick={() => setShown(shown + SHOWN_AT_ONCE)}>
          Show more runs
        </Button>
      )}
      {isCut && (
        <p className="text-sm text-soft">The first {runs.length.toLocaleString('en')} runs are read.</p>
      )}
    </>
  )
}
