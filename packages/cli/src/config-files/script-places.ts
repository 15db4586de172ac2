import { findObject } from './config-objects'
import { type ConfigSource, placeOf, textOf } from './config-source'

export interface WrittenScript {
  name: string
  text: string
  /** The place in the file of a character of the text. */
  place(index: number): number
}

export function listScripts({ json, text }: ConfigSource): WrittenScript[] {
  const scripts = json?.type === 'ObjectExpression' ? findObject(json, 'scripts', []) : undefined
  return (scripts?.properties ?? []).flatMap((each) => {
    if (each.type !== 'ObjectProperty') return []
    const { start, end } = placeOf(each.value)
    const raw = text.slice(start + 1, end - 1)
    const place = (index: number): number => start + 1 + placeInRaw(raw, index)
    return [{ name: textOf(each.key) ?? '', text: textOf(each.value) ?? '', place }]
  })
}

/** Where a character of a text stands in what JSON writes for it. */
function placeInRaw(raw: string, index: number): number {
  const characters = raw.match(/\\u.{4}|\\.|[^\\]/gs) ?? []
  return characters.slice(0, index).join('').length
}
