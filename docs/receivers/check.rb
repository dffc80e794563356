# Says of each vector what receive.rb says: `ruby check.rb --vectors vectors.json` prints a line `VERDICT <tab> NAME` for each.
require "json"
require "optparse"
require_relative "receive"

file = "vectors.json"
OptionParser.new { |options| options.on("--vectors FILE") { |name| file = name } }.parse!
JSON.parse(File.read(file, encoding: "UTF-8")).fetch("vectors").each do |vector|
  verdict = "ok"
  begin
    verify(vector["body_base64"].unpack1("m0"), vector["headers"], vector["secret"], vector["now"])
  rescue Refused => e
    verdict = e.message
  end
  puts "#{verdict}\t#{vector["name"]}"
end
