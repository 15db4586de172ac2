import {
  type AttemptAttachments,
  listAttemptSteps,
  type PlacedAttachment,
  type StepNode,
  type StepTree,
} from '@runledger/presentation'

// Playwright's name of a step that attaches something.
const ATTACH = /^attach "(.*)"(?: \(\d+\))?$/is

/**
 * By their places, the steps that attached something, with what it was. They say only its name: of several with one name the
 * first step has the first, and none has any where there are not as many steps as attachments.
 */
export function pairAttachments(
  tree: StepTree,
  bySteps: ReadonlyMap<number, AttemptAttachments[]>,
): Map<number, PlacedAttachment> {
  const made = new Map<number, PlacedAttachment>()
  for (const [index, attempts] of bySteps) {
    const test = tree.nodes[index]
    if (!test || test.children.length === 0) continue
    for (const { attempt, attachments } of attempts) {
      const isLast = attempt === undefined || attempt > test.phase.retry_count
      const steps = listWithin(tree, listAttemptSteps(tree, test, isLast ? undefined : attempt))
      for (const [name, ofName] of groupByName(steps)) {
        const files = attachments.filter(({ fileName }) => isNamed(fileName, name))
        if (files.length === ofName.length)
          for (const [at, step] of ofName.entries()) made.set(step, files[at] as PlacedAttachment)
      }
    }
  }
  return made
}

function groupByName(steps: readonly StepNode[]): Map<string, number[]> {
  const byName = new Map<string, number[]>()
  for (const { name, index } of steps) {
    const [, attached] = ATTACH.exec(name) ?? []
    if (attached === undefined) continue
    const ofName = byName.get(attached) ?? []
    byName.set(attached, [...ofName, index])
  }
  return byName
}

function listWithin(tree: StepTree, steps: readonly StepNode[]): StepNode[] {
  return steps.flatMap((step) => [
    step,
    ...listWithin(
      tree,
      step.children.flatMap((index) => tree.nodes[index] ?? []),
    ),
  ])
}

// A file may have got an extension, and a number where there is another of its name.
function isNamed(fileName: string, name: string): boolean {
  const plain = name.replaceAll('\\"', '"').replaceAll(/[/\\]/g, '_')
  const unnumbered = fileName.replace(/ \(\d+\)(?=\.[^.]*$|$)/, '')
  return [fileName, unnumbered].some((each) => each === plain || each.replace(/\.[^.]*$/, '') === plain)
}
