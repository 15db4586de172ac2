/**
 * Quotes an argument so that `cmd.exe` passes it to a program unchanged, also through a script that forwards `%*`, such as npx. Doubles
 * quotes instead of escaping them, so that neither `cmd.exe` nor the script ends the quoted part there. Line breaks are not supported.
 */
export function quoteForCmd(argument: string): string {
  // cmd.exe does not find a built-in command, such as echo, in quotes.
  if (/^[\w.:@-]+$/.test(argument)) return argument
  const text = argument
    .replaceAll(/(\\*)"/g, '$1$1""')
    .replace(/\\+$/, '$&$&')
    // `%cd:~,%` is empty. It keeps the first % from beginning the name of a variable.
    .replaceAll('%', '%%cd:~,%')
  return `"${text}"`
}
