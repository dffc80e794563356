# Receives Oriel's webhooks with Ruby alone. Copy it whole, or `verify` into the framework you have.
#
#     ORIEL_WEBHOOK_SECRET=whsec_... PORT=5005 ruby receive.rb     # POST http://127.0.0.1:5005/webhook
#
# Only the small server at the end needs WEBrick: it comes with Debian's and Ubuntu's Ruby, elsewhere it is `gem install webrick`.
require "json"
require "openssl"

TOLERANCE_SECONDS = 300
MAX_BODY_BYTES = 1_000_000

# Not from Oriel, or not from now. Answer 400.
class Refused < StandardError; end

# The event, if this delivery was signed with `secret` within five minutes of `now`; raises Refused otherwise. One of the two formats is
# enough: both are HMACs under the same secret, and whoever can make one can make the other.
#
# raw_body: the bytes as they arrived, in Rails request.raw_post, in Rack env["rack.input"].read
# headers: a Hash of names to texts; a Rack env will do, too, so in Rails request.env
# now: unix time in seconds
def verify(raw_body, headers, secret, now)
  key = key_of(secret)
  sent = headers.transform_keys { |name| name.downcase.tr("_", "-").delete_prefix("http-") }
  if sent.key?("webhook-signature")
    # Standard Webhooks. An id has no full stop, for that is what parts it from the time.
    id = sent["webhook-id"].to_s
    raise Refused, "signature_missing" if id.empty? || id.include?(".")

    timestamp = read_timestamp(sent["webhook-timestamp"])
    expected = "v1,#{[OpenSSL::HMAC.digest("SHA256", key, "#{id}.#{timestamp}.".b + raw_body.b)].pack("m0")}"
    signatures = sent["webhook-signature"].split(" ")
  elsif sent.key?("oriel-signature")
    signatures = sent["oriel-signature"].split(",")
    times = signatures.filter { |part| part.start_with?("t=") }
    timestamp = read_timestamp(times.one? ? times.first.delete_prefix("t=") : nil)
    expected = "v1=#{OpenSSL::HMAC.hexdigest("SHA256", secret, "#{timestamp}.".b + raw_body.b)}"
  else
    raise Refused, "signature_missing"
  end

  # Several, while the secret is being rotated. Every one is compared, so that time does not tell which fits.
  fitting = signatures.filter { |signature| OpenSSL.secure_compare(signature, expected) }
  raise Refused, "signature_mismatch" if fitting.empty?
  raise Refused, "timestamp_out_of_tolerance" if (now - timestamp.to_i).abs > TOLERANCE_SECONDS

  begin
    JSON.parse(raw_body)
  rescue JSON::ParserError, EncodingError
    raise Refused, "body_malformed"
  end
end

# The 24 to 64 bytes that whsec_... stands for.
def key_of(secret)
  key = secret.delete_prefix("whsec_").unpack1("m")
  is_whole = secret == "whsec_#{[key].pack("m0")}" && key.bytesize.between?(24, 64)
  raise Refused, "secret_invalid" unless is_whole

  key
end

# Kept as text, for the text is what was signed.
def read_timestamp(text)
  raise Refused, "timestamp_invalid" unless text.to_s.match?(/\A[1-9][0-9]{0,11}\z/)

  text
end

# Yours: write the event down and return. What it brings about is done afterwards, by somebody else.
def take(event)
  puts "#{event["id"]} #{event["type"]} #{event["object_sequence"]}"
end

# Returns the status to answer with, and the text.
def receive(request)
  return 404 unless request.request_method == "POST" && request.path == "/webhook"
  return 413 unless request["Content-Length"].to_s.match?(/\A[0-9]{1,7}\z/) && request.content_length <= MAX_BODY_BYTES

  begin
    headers = request.header.transform_values(&:first)
    event = verify(request.body.to_s, headers, ENV.fetch("ORIEL_WEBHOOK_SECRET", ""), Time.now.to_i)
  rescue Refused => e
    id = request["Webhook-Id"].to_s.b
    warn "refused: #{e.message} #{id.match?(/\A[A-Za-z0-9_-]{1,64}\z/) ? id : "(no id)"}"
    return 400, "Webhook refused: #{e.message}."
  end
  take(event) # if this raises, WEBrick answers 500, and Oriel sends it again
  204
end

if $PROGRAM_NAME == __FILE__
  require "webrick"
  $stdout.sync = true
  begin
    key_of(ENV.fetch("ORIEL_WEBHOOK_SECRET", ""))
  rescue Refused
    abort "ORIEL_WEBHOOK_SECRET must be the signing secret exactly as shown: whsec_... without spaces or quotes."
  end
  port = ENV.fetch("PORT", "5005").to_i
  server = WEBrick::HTTPServer.new(BindAddress: "127.0.0.1", Port: port, RequestTimeout: 10, AccessLog: [])
  server.mount_proc("/webhook") do |request, response|
    response.status, response.body = receive(request)
    response.content_type = "text/plain; charset=utf-8"
  end
  %w[INT TERM].each { |signal| trap(signal) { server.shutdown } }
  puts "listening on http://127.0.0.1:#{port}/webhook"
  server.start
end
