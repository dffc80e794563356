<?php

/**
 * Receives Oriel's webhooks with PHP alone. Copy it whole, or `verify` into the framework you have.
 *
 *     ORIEL_WEBHOOK_SECRET=whsec_... php -S 127.0.0.1:5000 receive.php     # POST http://127.0.0.1:5000/webhook
 */

declare(strict_types=1);

const TOLERANCE_SECONDS = 300;
const MAX_BODY_BYTES = 1_000_000;

/** Not from Oriel, or not from now. Answer 400. */
final class Refused extends RuntimeException
{
}

/**
 * The event, if this delivery was signed with $secret within five minutes of $now; throws otherwise. One of the two formats is enough:
 * both are HMACs under the same secret, and whoever can make one can make the other.
 *
 * @param string $rawBody the bytes as they arrived: php://input, in Laravel and Symfony $request->getContent()
 * @param array<string, string> $headers getallheaders()
 * @param int $now time()
 * @throws Refused
 */
function verify(string $rawBody, array $headers, string $secret, int $now): array
{
    if (!preg_match('~^whsec_[A-Za-z0-9+/]{32,86}={0,2}$~D', $secret)) {
        throw new Refused('secret_invalid');
    }
    $sent = array_change_key_case($headers, CASE_LOWER);

    if (isset($sent['webhook-signature'])) {
        // Standard Webhooks. An id has no full stop, for that is what parts it from the time.
        $id = $sent['webhook-id'] ?? '';
        if ($id === '' || str_contains($id, '.')) {
            throw new Refused('signature_missing');
        }
        $timestamp = readTimestamp($sent['webhook-timestamp'] ?? '');
        $key = base64_decode(substr($secret, strlen('whsec_')), true);
        $expected = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$timestamp.$rawBody", $key, true));
        $signatures = explode(' ', $sent['webhook-signature']);
    } elseif (isset($sent['oriel-signature'])) {
        $signatures = explode(',', $sent['oriel-signature']);
        $times = array_values(array_filter($signatures, fn (string $part) => str_starts_with($part, 't=')));
        $timestamp = readTimestamp(count($times) === 1 ? substr($times[0], strlen('t=')) : '');
        $expected = 'v1=' . hash_hmac('sha256', "$timestamp.$rawBody", $secret);
    } else {
        throw new Refused('signature_missing');
    }

    // Several, while the secret is being rotated. Every one is compared, so that time does not tell which fits.
    $fitting = array_filter($signatures, fn (string $signature) => hash_equals($expected, $signature));
    if ($fitting === []) {
        throw new Refused('signature_mismatch');
    }
    if (abs($now - (int) $timestamp) > TOLERANCE_SECONDS) {
        throw new Refused('timestamp_out_of_tolerance');
    }
    return json_decode($rawBody, true, flags: JSON_THROW_ON_ERROR);
}

/** Kept as text, for the text is what was signed. */
function readTimestamp(string $text): string
{
    if (!preg_match('~^[1-9][0-9]{0,11}$~D', $text)) {
        throw new Refused('timestamp_invalid');
    }
    return $text;
}

/** Yours: write the event down and return. What it brings about is done afterwards, by somebody else. */
function take(array $event): void
{
    error_log("{$event['id']} {$event['type']} {$event['object_sequence']}");
}

/** @return int the status to answer with */
function receive(): int
{
    if ($_SERVER['REQUEST_METHOD'] !== 'POST' || parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH) !== '/webhook') {
        return 404;
    }
    $rawBody = (string) file_get_contents('php://input', length: MAX_BODY_BYTES + 1);
    if (strlen($rawBody) > MAX_BODY_BYTES) {
        return 413;
    }
    try {
        $event = verify($rawBody, getallheaders(), (string) getenv('ORIEL_WEBHOOK_SECRET'), time());
    } catch (Refused | JsonException $error) {
        error_log("refused: {$error->getMessage()}");
        return 400;
    }
    take($event); // if this throws, PHP answers 500, and Oriel sends it again
    return 204;
}

if (PHP_SAPI !== 'cli') {
    http_response_code(500); // should it throw
    http_response_code(receive());
}
