import { formatAttachmentName, matchAttachmentToStep, type RunAttachment } from '@runledger/protocol'

export interface PlacedAttachment {
  attachment: RunAttachment
  fileName: string
}

/** Attachments of one attempt; no number if there was only one. */
export interface AttemptAttachments {
  attempt: number | undefined
  attachments: PlacedAttachment[]
}

export interface GroupedAttachments {
  /** By the index of the step; attempts in order. */
  bySteps: Map<number, AttemptAttachments[]>
  /** Attachments of the whole run. */
  others: RunAttachment[]
}

/** Assigns each attachment to the step and attempt that its name names; the first of steps with equal names. */
export function groupAttachments(stepNames: string[], attachments: RunAttachment[]): GroupedAttachments {
  const stepIndexes = indexStepNames(stepNames)
  const bySteps = new Map<number, AttemptAttachments[]>()
  const others: RunAttachment[] = []
  for (const attachment of attachments) {
    const place = findPlace(attachment.name, stepNames, stepIndexes)
    if (place) addToAttempt(bySteps, place, attachment)
    else others.push(attachment)
  }
  for (const attempts of bySteps.values()) attempts.sort((a, b) => (a.attempt ?? 0) - (b.attempt ?? 0))
  return { bySteps, others }
}

/** Declared names without an attachment, each as often as it is missing. */
export function listMissing(declared: string[], attachments: RunAttachment[]): string[] {
  const arrived = new Map<string, number>()
  for (const { name } of attachments) arrived.set(name, (arrived.get(name) ?? 0) + 1)
  return declared.filter((name) => {
    const left = arrived.get(name) ?? 0
    arrived.set(name, left - 1)
    return left <= 0
  })
}

interface Place {
  stepIndex: number
  attempt: number | undefined
  fileName: string
}

// 2,000 steps times 2,000 attachments are too many pairs: the name's part before the file finds candidates, and protocol's
// rule decides.
function indexStepNames(stepNames: string[]): Map<string, number> {
  const indexes = new Map<string, number>()
  stepNames.forEach((stepName, index) => {
    const stepPart = formatAttachmentName({ stepName, fileName: 'x' }).slice(0, -2)
    if (!indexes.has(stepPart)) indexes.set(stepPart, index)
  })
  return indexes
}

function findPlace(name: string, stepNames: string[], indexes: Map<string, number>): Place | undefined {
  const folder = name.slice(0, Math.max(name.lastIndexOf('/'), 0))
  for (const stepPart of [folder, folder.replace(/\/attempt-\d+$/, '')]) {
    const stepIndex = indexes.get(stepPart)
    if (stepIndex === undefined) continue
    const match = matchAttachmentToStep(name, stepNames[stepIndex] ?? '')
    if (match) return { stepIndex, attempt: match.attempt, fileName: match.fileName }
  }
  return undefined
}

function addToAttempt(
  bySteps: Map<number, AttemptAttachments[]>,
  { stepIndex, attempt, fileName }: Place,
  attachment: RunAttachment,
): void {
  const attempts = bySteps.get(stepIndex) ?? []
  bySteps.set(stepIndex, attempts)
  const known = attempts.find((other) => other.attempt === attempt)
  if (known) known.attachments.push({ attachment, fileName })
  else attempts.push({ attempt, attachments: [{ attachment, fileName }] })
}
