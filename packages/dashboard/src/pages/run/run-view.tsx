import { countPhases, type RunDetail } from '@runledger/protocol'
import { describeOutcome, isOfSoftware, listMissing, nameRun } from '@runledger/presentation'
import { useLocation } from '@tanstack/react-router'
import { useDeferredValue, useEffect, useMemo, useRef, useState } from 'react'
import { isArriving } from '../../api/run-detail'
import { useKeyCommands, useKeyHelp } from '../../navigation/keys'
import { Failures, failureId } from './failures'
import { filterSteps, hasWords, type StepFilter } from './filter-steps'
import { parseHash, TargetContext, type HashTarget } from './hash'
import { LogList } from './log-list'
import { MissingAttachments } from './missing-attachments'
import { OtherAttachments } from './other-attachments'
import { ReportVariables } from './report-variables'
import { readRunFacts, RunContext, type RunFacts } from './run-context'
import { RunHead } from './run-head'
import { SkippedTests } from './skipped-tests'
import { StepList } from './step-list'
import { rowId } from './step-row'
import { StepToolbar } from './step-toolbar'
import { SubUnits } from './sub-units'
import { useStepFilter } from './use-step-filter'
import { PageTitle } from '../../ui/page-title'

export function RunView({ run }: { run: RunDetail }) {
  const facts = useMemo(() => readRunFacts(run), [run])
  const hash = useLocation({ select: (location) => location.hash })
  const target = useMemo(() => parseHash(hash), [hash])
  const subject = isOfSoftware(run) ? nameRun(run) : `${run.procedure.name} on ${run.unit.serial_number}`
  const [failure, ...otherFailures] = facts.tree.failures
  const failed = otherFailures.length > 0 || failure === undefined ? undefined : run.phases[failure]?.name
  const title = `${describeOutcome(run.outcome).word}: ${[failed, subject].filter(Boolean).join(', ')}`
  const missing = useMemo(() => listMissing(run.declared_attachments, run.attachments), [run])
  return (
    <RunContext value={facts}>
      <TargetContext value={target}>
        <div className="flex flex-col gap-4">
          <PageTitle text={title} />
          <RunHead run={run} />
          <Steps facts={facts} step={findTargetStep(facts, target)} isLine={target.log !== undefined} />
          {facts.others.length > 0 && (
            <OtherAttachments attachments={facts.others} openId={facts.suiteLogId} />
          )}
          {missing.length > 0 && (
            <MissingAttachments names={missing} isArriving={isArriving(run, Date.now())} />
          )}
          {run.logs.length > 0 && <LogList logs={run.logs} />}
          {run.sub_units.length > 0 && <SubUnits subUnits={run.sub_units} />}
          {Object.keys(run.metadata).length > 0 && <ReportVariables variables={run.metadata} />}
        </div>
      </TargetContext>
    </RunContext>
  )
}

interface StepsProps {
  facts: RunFacts
  /** Place of the step that the address names. */
  step: number | undefined
  /** Whether it names a line of that step's text, which scrolls into view by itself. */
  isLine: boolean
}

/** Failures, all steps, and the tests that did not run, as far as the filter lets them through. */
function Steps({ facts, step, isLine }: StepsProps) {
  const { run, tree } = facts
  const [filter, setFilter] = useStepFilter()
  const openHelp = useKeyHelp()
  const search = useRef<HTMLInputElement>(null)
  const { className } = filter
  const words = useDeferredValue(filter.words)
  const wanted = useMemo(() => ({ className, words }), [className, words])
  const skippedTests = useMemo(() => run.skipped ?? [], [run])
  const counts = useMemo(() => countPhases(run), [run])
  const shown = useMemo(() => filterSteps(tree, wanted), [tree, wanted])
  const failures = useMemo(
    () => (shown ? tree.failures.filter((index) => shown.has(index)) : tree.failures),
    [tree, shown],
  )
  const skipped = useMemo(() => selectSkipped(skippedTests, wanted), [skippedTests, wanted])
  const isFailure = step !== undefined && tree.failures.includes(step)
  const { at, move } = useCurrentFailure(failures, isLine ? undefined : step)
  const needed = at ?? (isFailure ? failures.indexOf(step) : undefined)
  const commands = useMemo(
    () => ({
      j: () => move(1),
      k: () => move(-1),
      '/': () => search.current?.focus(),
    }),
    [move],
  )
  useKeyCommands(commands)
  return (
    <>
      {(run.phases.length + skippedTests.length > 1 || shown) && (
        <StepToolbar
          counts={counts}
          filter={filter}
          onFilter={setFilter}
          search={search}
          failures={{ count: failures.length, at, onMove: move }}
          onHelp={openHelp}
        />
      )}
      {failures.length > 0 && <Failures shown={failures} needed={needed} />}
      <StepList shown={shown} target={isFailure ? undefined : step} />
      {skipped.length > 0 && <SkippedTests tests={skipped} />}
    </>
  )
}

function selectSkipped(tests: NonNullable<RunDetail['skipped']>, filter: StepFilter) {
  if (filter.className !== undefined && filter.className !== 'skipped') return []
  return tests.filter(({ name, reason = '', location, tags = [] }) =>
    hasWords(filter.words, [name, reason, location?.file ?? '', ...tags]),
  )
}

function findTargetStep({ bySteps, tree }: RunFacts, { step, log }: HashTarget): number | undefined {
  if (step !== undefined) return tree.nodes[step]?.index
  for (const [index, attempts] of bySteps) {
    const ids = attempts.flatMap(({ attachments }) => attachments.map(({ attachment }) => attachment.id))
    if (log && ids.includes(log.attachmentId)) return index
  }
  return undefined
}

/** The current failure: the one in the address, then those that the user goes on to. */
function useCurrentFailure(failures: number[], target: number | undefined) {
  const [place, setPlace] = useState<{ index: number; moves: number }>()
  useEffect(() => {
    if (target !== undefined) setPlace({ index: target, moves: 0 })
  }, [target])
  useEffect(() => {
    if (place) bringIntoView(place.index)
  }, [place])
  const found = place ? failures.indexOf(place.index) : -1
  const at = found < 0 ? undefined : found
  const move = useMemo(
    () => (by: number) => {
      const start = at ?? (by > 0 ? -1 : 0)
      const index = failures[(start + by + failures.length) % failures.length]
      if (index !== undefined) setPlace((before) => ({ index, moves: (before?.moves ?? 0) + 1 }))
    },
    [failures, at],
  )
  return { at, move }
}

function bringIntoView(index: number): void {
  const element = document.getElementById(failureId(index)) ?? document.getElementById(rowId(index))
  element?.focus({ preventScroll: true })
  element?.scrollIntoView({ block: 'start' })
}
