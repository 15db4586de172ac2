/** The serial number that reporters derive for software: the package and its commit, or the host without one. */
export function formatDefaultSerialNumber(packageName: string, build: string): string {
  return `${packageName.replace(/^@/, '').replaceAll('/', '-')}@${build}`
}
