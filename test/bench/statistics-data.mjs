// Real test histories, as `npm run bench -- statistics` reads them: CSV files, compressed, in one folder.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { gunzipSync } from 'node:zlib'

/**
 * Rows of a file by their columns' names. No field of these files has a quoted comma that is read here.
 * @param {string} folder @param {string} file
 * @returns {Record<string, string>[]}
 */
export function readRows(folder, file) {
  const text = gunzipSync(readFileSync(path.join(folder, file))).toString('utf8')
  const [head = '', ...lines] = text.trim().split(/\r?\n/)
  const columns = head.split(',')
  return lines.map((line) => {
    const fields = splitLine(line)
    return Object.fromEntries(columns.map((column, i) => [column, fields[i] ?? '']))
  })
}

/** @param {string} line */
function splitLine(line) {
  if (!line.includes('"')) return line.split(',')
  const fields = line.match(/("([^"]|"")*"|[^,]*)(,|$)/g) ?? []
  return fields.map((field) =>
    field
      .replace(/,$/, '')
      .replace(/^"(.*)"$/, '$1')
      .replaceAll('""', '"'),
  )
}
