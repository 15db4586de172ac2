/** When something was, in the time of this machine: the minute, or of another year the day. */
export function formatWhen(time: string | null, now = new Date()): string {
  const date = new Date(time ?? Number.NaN)
  if (Number.isNaN(date.getTime())) return ''
  const [month, day, hours, minutes] = [
    date.getMonth() + 1,
    date.getDate(),
    date.getHours(),
    date.getMinutes(),
  ].map((number) => String(number).padStart(2, '0'))
  if (date.getFullYear() !== now.getFullYear()) return `${date.getFullYear()}-${month}-${day}`
  return `${month}-${day} ${hours}:${minutes}`
}
