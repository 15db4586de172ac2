import { shortenText } from './text'
import { MAX_ATTACHMENT_NAME_LENGTH } from './text-limits'

const ATTEMPT = /\/attempt-(\d+)$/
const MAX_FILE_NAME_LENGTH = 120

export interface AttachmentPlace {
  /** Name of the step that the attachment belongs to; absent for one that belongs to the whole suite. */
  stepName?: string | undefined
  /** Attempt that made it, counted from 1; given only when the step had several. */
  attempt?: number | undefined
  /** File name with its extension. */
  fileName: string
}

/** Builds `<step name>/[attempt-N/]<file name>`, at most 255 characters, the step part shortened when it must be. */
export function formatAttachmentName({ stepName, attempt, fileName }: AttachmentPlace): string {
  const file = cutFileName(fileName.replaceAll('/', '_'))
  if (stepName === undefined) return file
  return `${shortenText(stepName, MAX_STEP_PART_LENGTH)}${attempt === undefined ? '' : `/attempt-${attempt}`}/${file}`
}

/** Tells whether an attachment's name places it in this step, and in which attempt. */
export function matchAttachmentToStep(
  name: string,
  stepName: string,
): { attempt?: number; fileName: string } | undefined {
  const cut = name.lastIndexOf('/')
  if (cut < 0) return undefined
  const fileName = name.slice(cut + 1)
  const place = name.slice(0, cut)
  const stepPart = shortenText(stepName, MAX_STEP_PART_LENGTH)
  if (place === stepPart) return { fileName }
  const attempt = ATTEMPT.exec(place)
  if (!attempt || place.slice(0, attempt.index) !== stepPart) return undefined
  return { attempt: Number(attempt[1]), fileName }
}

// Room for "/attempt-NNN/" and the " (2)" of a name that is taken already.
const MAX_STEP_PART_LENGTH = MAX_ATTACHMENT_NAME_LENGTH - MAX_FILE_NAME_LENGTH - 21

function cutFileName(fileName: string): string {
  if (fileName.length <= MAX_FILE_NAME_LENGTH) return fileName
  const dot = fileName.lastIndexOf('.')
  const extension = dot > 0 && fileName.length - dot <= 16 ? fileName.slice(dot) : ''
  return shortenText(fileName, MAX_FILE_NAME_LENGTH - extension.length) + extension
}
