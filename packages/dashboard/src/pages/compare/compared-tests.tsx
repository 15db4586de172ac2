import type { ComparedTest, Comparison } from '@runledger/protocol'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { formatMs } from '../../format/rate'
import { runLink } from '../../links'
import { TestOutcomeBadge } from '../../parts/outcome-badge'
import { describePlace, TestName } from '../../parts/test-name'
import { Button } from '../../ui/button'
import { Card } from '../../ui/card'

const SHOWN = 20

interface ComparedTestsProps {
  title: string
  /** Which tests are listed. */
  rule: string
  list: Comparison['fixed']
}

/** Tests that differ in one way, with both their results. */
export function ComparedTests({ title, rule, list: { total, data } }: ComparedTestsProps) {
  const [areAllShown, setAreAllShown] = useState(false)
  if (total === 0) return null
  const shown = areAllShown ? data : data.slice(0, SHOWN)
  return (
    <Card
      title={`${title} (${total.toLocaleString('en')})`}
      aside={<span className="text-sm text-soft">{rule}</span>}
    >
      <ul className="divide-y divide-line">
        {shown.map((one) => (
          <ComparedRow key={one.test.id} compared={one} />
        ))}
      </ul>
      {data.length > shown.length && (
        <Button look="bare" className="m-1" onClick={() => setAreAllShown(true)}>
          Show {data.length - shown.length} more
        </Button>
      )}
      {areAllShown && total > data.length && (
        <p className="px-4 py-2 text-sm text-soft">The first {data.length} are listed.</p>
      )}
    </Card>
  )
}

function ComparedRow({ compared: { test, base, head } }: { compared: ComparedTest }) {
  return (
    <li className="flex flex-wrap items-baseline gap-x-4 gap-y-1 px-4 py-2">
      <span className="min-w-0 flex-1 basis-72">
        <TestName test={test} />
        <span className="block text-sm wrap-anywhere text-soft">{describePlace(test)}</span>
      </span>
      <span className="flex flex-wrap items-baseline gap-x-2 text-sm">
        <Result result={base} word="before" />
        {base && head && <span aria-hidden>→</span>}
        <Result result={head} word="here" />
      </span>
    </li>
  )
}

function Result({ result, word }: { result: ComparedTest['head']; word: string }) {
  if (result === null) return null
  return (
    <Link {...runLink(result.run_id)} className="inline-flex items-baseline gap-1.5 no-underline">
      <span className="sr-only">{word} </span>
      <TestOutcomeBadge outcome={result.outcome} />
      <span className="numeric underline">{formatMs(result.duration_ms)}</span>
    </Link>
  )
}
