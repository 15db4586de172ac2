import { parseSuites } from './parse-suites'
import type { Project } from './project'

/** A monorepo of a mobile and a web app, tested with two projects of Jest in three shards. */
export const MOBILE: Project = {
  key: 'mobile',
  procedure: { identifier: 'CHAT-APPS', name: 'Chat apps' },
  package: '@acme/chat',
  version: '7.0',
  framework: 'jest',
  frameworkVersions: ['29.7.0', '30.2.0'],
  node: 'v22.14.0',
  ci: {
    name: 'GitHub Actions',
    job: 'unit',
    address: 'https://github.example.com/acme/chat/actions/runs/',
  },
  repository: 'https://github.example.com/acme/chat',
  folder: '',
  people: ['Linh Nguyen', 'Oskar Nowak', 'Fatima Zahra', 'Daniel Rossi', 'Emma Clarke'],
  shards: 3,
  retries: 1,
  buildsPerDay: 1.9,
  durationsMs: [12, 700],
  areas: [
    'message bubbles',
    'the sync queue',
    'push tokens',
    'dark mode',
    'attachments',
    'read receipts',
    'the contact list',
    'voice messages',
  ],
  suites: parseSuites(`
apps/mobile/src/sync.test.ts @acme/mobile mobile
  Sync
    sends what was written offline
    merges offline edits
    keeps the order of messages
    resolves a conflict by the server's time
    drops a message that was deleted meanwhile
    pages through a long history
    waits longer after each failure
    stops on a metered connection
apps/mobile/src/push.test.ts @acme/mobile mobile
  Push
    registers a token
    opens the chat from a notification
    groups notifications by chat
    hides the text on the lock screen
    respects quiet hours
    renews an expired token
apps/mobile/src/chat-screen.test.tsx @acme/mobile mobile
  Chat screen
    shows the newest message
    scrolls to the first unread message
    sends on return
    sends a picture
    records a voice message
    replies to a message
    reacts with an emoji
    deletes for everyone
    shows who is typing
  Composer
    keeps a draft
    suggests names after @
    limits the length
apps/web/src/inbox.test.tsx @acme/web web
  Inbox
    lists chats, newest first
    filters unread chats
    pins a chat
    mutes a chat
    archives a chat
    searches messages
    renders 500 chats
    moves with arrow keys
apps/web/src/settings.test.tsx @acme/web web
  Settings
    changes the display name
    uploads a picture
    switches to dark mode
    chooses a language
    lists signed-in devices
    signs a device out
    exports all data
    deletes the account | needs the new confirmation
packages/format/src/format.test.ts @acme/platform web
  Time stamps
    says "now" for the last minute
    shows the weekday within a week
    shows the date for older messages
    follows the reader's time zone
  Links
    makes addresses clickable
    leaves code blocks alone
    shortens long addresses
  Mentions
    links a member
    leaves an unknown name as text
packages/crypto/src/session.test.ts @acme/security web
  Session
    agrees on a key
    ratchets after each message
    opens messages out of order
    refuses a replayed message
    survives a restart
    verifies a safety number
`),
}
