import { parsePatterns } from '../redact/user-patterns'
import type { UnitUnderTestOption } from './options'

/** Answers the value as it is used, or undefined when it is not legal. By hand: a schema library takes longer to load than most executions to record. */
export type Check = (value: unknown) => unknown

export const isBoolean: Check = (value) => (typeof value === 'boolean' ? value : undefined)
export const isFunction: Check = (value) => (typeof value === 'function' ? value : undefined)

/** Trimmed, and not empty. */
export function filledText(value: unknown): string | undefined {
  return (typeof value === 'string' && value.trim()) || undefined
}

export const textLike =
  (pattern: RegExp): Check =>
  (value) => {
    const text = filledText(value)
    return text !== undefined && pattern.test(text) ? text : undefined
  }

export const oneOf =
  (...words: readonly string[]): Check =>
  (value) =>
    words.find((word) => word === value)

export const eitherOf =
  (...checks: readonly Check[]): Check =>
  (value) =>
    checks.map((check) => check(value)).find((checked) => checked !== undefined)

export const integerWithin =
  (min: number, max: number): Check =>
  (value) =>
    typeof value === 'number' && Number.isSafeInteger(value) && value >= min && value <= max
      ? value
      : undefined

// Paths are put at its end: a query or a fragment would swallow them.
export const httpUrl: Check = (value) => {
  const text = textLike(/^https?:\/\/[^?#]*$/i)(value)
  return typeof text === 'string' && URL.canParse(text) ? text : undefined
}

/** Serial numbers. */
export function filledTexts(value: unknown): string[] | undefined {
  if (!Array.isArray(value)) return undefined
  const texts = value.map(filledText).filter((text) => text !== undefined)
  return texts.length === value.length ? texts : undefined
}

/** What is to be masked: texts, and patterns that can be read. */
export function searchList(value: unknown): (string | RegExp)[] | undefined {
  if (!Array.isArray(value)) return undefined
  const items = value.map((item: unknown) => (item instanceof RegExp ? item : filledText(item)))
  const legal = items.filter((item) => item !== undefined)
  return legal.length === value.length && canBeRead(legal) ? legal : undefined
}

function canBeRead(items: readonly (string | RegExp)[]): boolean {
  try {
    parsePatterns(items)
    return true
  } catch {
    return false
  }
}

/** Names with values of one word each. */
export const plainRecord: Check = (value) => {
  if (!isRecord(value)) return undefined
  const isPlain = Object.values(value).every((each) => ['string', 'number', 'boolean'].includes(typeof each))
  return isPlain && !Object.values(value).some(Number.isNaN) ? { ...value } : undefined
}

export function legalUnit(value: unknown): UnitUnderTestOption | undefined {
  if (!isRecord(value)) return undefined
  const { serialNumber, partNumber, revision } = value
  const unit = {
    serialNumber: filledText(serialNumber),
    partNumber: filledText(partNumber),
    revision: filledText(revision),
  }
  const isLegal =
    unit.serialNumber !== undefined &&
    (partNumber === undefined || unit.partNumber !== undefined) &&
    (revision === undefined || unit.revision !== undefined)
  return isLegal ? (unit as UnitUnderTestOption) : undefined
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
