import { expect, it } from 'vitest'
import { deriveMediaType, formatFileName } from './attachment-file'

const bytes = new Uint8Array(1)

it.each([
  [{ name: 'screenshot', path: '/t/test-failed-1.png' }, 'screenshot.png', 'image/png'],
  [{ name: 'screenshot.png', path: '/t/x.png' }, 'screenshot.png', 'image/png'],
  [{ name: 'state', bytes, contentType: 'image/jpeg' }, 'state.jpg', 'image/jpeg'],
  [
    { name: 'notes', bytes, contentType: 'text/plain; charset=utf-8' },
    'notes.txt',
    'text/plain; charset=utf-8',
  ],
  [{ name: 'data', bytes }, 'data', 'application/octet-stream'],
  [{ name: '../../etc/passwd', bytes, contentType: 'text/plain' }, '.._.._etc_passwd.txt', 'text/plain'],
  [{ name: '', bytes, contentType: 'application/json' }, '(unnamed).json', 'application/json'],
  [{ name: 'empty type.png', bytes, contentType: '' }, 'empty type.png', 'image/png'],
  [{ name: 'injected.png', bytes, contentType: 'image/png\r\nX-Evil: 1' }, 'injected.png', 'image/png'],
  [{ name: 'v1.2 report', bytes, contentType: 'text/html' }, 'v1.2 report.html', 'text/html'],
])('names %j %s', (attachment, fileName, mediaType) => {
  expect(formatFileName(attachment)).toBe(fileName)
  expect(deriveMediaType(attachment, fileName)).toBe(mediaType)
})
