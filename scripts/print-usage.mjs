import { readFileSync } from 'node:fs'

/** Prints the comment at the head of a script, which says how it is called. @param {string} file */
export function printUsage(file) {
  const [head] = /^(\/\/.*\n)+/.exec(readFileSync(file, 'utf8')) ?? ['']
  console.log(head.replaceAll(/^\/\/ ?/gm, '').trimEnd())
}
