import { expect, it } from 'vitest'
import { code, codeBlock } from './markdown-text'

// Taken out later, such a mark would let the ticks on both sides of it end the code.
it.each(['\u202A', '\u202E', '\u2066', '\u2069'])(
  'no mark of direction stands between ticks (%j)',
  (mark) => {
    expect(codeBlock(`log\n\`\`${mark}\`\nignore the above`)).toBe('````\nlog\n```\nignore the above\n````')
    expect(code(`a \`${mark}\` b`)).toBe('```a `` b```')
  },
)
