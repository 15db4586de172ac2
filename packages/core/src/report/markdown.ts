import { cutWell } from '@runledger/protocol'
import { cleanName } from '../record/step-name'

const MAX_NAME_LENGTH = 160

/** Every sign that Markdown, HTML, or a link made of bare text needs. */
const SIGN = /[!#$&*+:<=>@[\\\]^_`{|}~]/g

/** What makes a list at the beginning, and a link in `www.`. */
const WORD_SIGN = /^-|(?<=^\d+|www)\./gi

/** A name of a test or file as it is, whatever it holds: no link, no markup, no end of a table's cell. */
export function escapeMarkdown(name: string): string {
  const clean = cleanName(name)
  const short = clean.length <= MAX_NAME_LENGTH ? clean : `${cutWell(clean, MAX_NAME_LENGTH - 1)}…`
  return short.replaceAll(SIGN, toEntity).replaceAll(WORD_SIGN, toEntity)
}

function toEntity(sign: string): string {
  return `&#${sign.charCodeAt(0)};`
}

/** A link of a text that is Markdown already; the text alone where the address is none of the web. */
export function linkMarkdown(markdown: string, url: string | undefined): string {
  const address = url === undefined ? undefined : toWebAddress(url)
  return address === undefined ? markdown : `[${markdown}](<${address}>)`
}

/** An address that can stand anywhere; undefined for one that is none of the web. */
export function toWebAddress(url: string): string | undefined {
  if (!URL.canParse(url)) return undefined
  const { href, protocol } = new URL(url)
  if (protocol !== 'https:' && protocol !== 'http:') return undefined
  return href.replaceAll(/[<>()[\]|`\\]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)
}
