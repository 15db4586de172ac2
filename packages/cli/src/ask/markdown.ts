import {
  countVerdicts,
  explainUnknownBranch,
  type FailureVerdict,
  type VerdictList,
} from '@runledger/protocol'
import { BoundedMarkdown, code, formatCount, formatReason, VERDICT_LOOKS } from '@runledger/presentation'

/** Which failures are new, as Markdown of bounded length. */
export function formatVerdicts(verdicts: VerdictList): string {
  const { data, more_failures: more } = verdicts
  const page = new BoundedMarkdown()
  page.add('## Compared with earlier runs')
  page.add(data.length === 0 ? 'There are no failures to compare.' : `- ${countVerdicts(verdicts)}`)
  const unknown = explainUnknownBranch(verdicts)
  if (unknown !== undefined) page.add(unknown)
  const order = Object.keys(VERDICT_LOOKS)
  page.addEach(
    data.toSorted((a, b) => order.indexOf(a.verdict) - order.indexOf(b.verdict)),
    {
      heading: '',
      format: formatVerdict,
      total: data.length + more,
      what: (count) => formatCount(count, 'failure'),
    },
  )
  return page.end('ask of one run at a time')
}

function formatVerdict(failure: FailureVerdict): string {
  return `- ${VERDICT_LOOKS[failure.verdict].word}: ${code(failure.name)} · ${formatReason(failure)}`
}
