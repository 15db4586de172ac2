/**
 * An argument as `cmd.exe` passes it on to a program, also through a script that passes on `%*`, such as npx: quotes are doubled, not
 * escaped, so that neither sees an end of the quoted part. A line break cannot be passed.
 */
export function quoteForCmd(argument: string): string {
  // A program that is built into cmd.exe, such as echo, must not be quoted.
  if (/^[\w.:@-]+$/.test(argument)) return argument
  const text = argument
    .replaceAll(/(\\*)"/g, '$1$1""')
    .replace(/\\+$/, '$&$&')
    // An empty part of a variable keeps the sign from beginning a variable's name.
    .replaceAll('%', '%%cd:~,%')
  return `"${text}"`
}
