const BEGIN = '\u001B]8;;'
const END = '\u001B\\'

/** Makes an address in a line of ours a link that can be clicked however the terminal breaks the line. */
export function linkAddress(line: string, url: string | undefined): string {
  if (url === undefined || !/^https?:\/\/[\x21-\x7e]+$/.test(url)) return line
  return line.replace(url, () => `${BEGIN}${url}${END}${url}${BEGIN}${END}`)
}
